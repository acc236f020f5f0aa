-- Launches whose engine finds no capacity after it accepted them (src/reconciler/room.ts).

alter table instances
  -- Until when its launch waits for capacity of its engine; null: it does not, or it was active or stopped since.
  add column waits_until timestamptz,
  -- When it is tried again, because its engine had none; null: its engine had some, or was not asked yet.
  add column room_try_at timestamptz,
  add check (room_try_at is null or waits_until is not null);
