-- Which request ordered a payment: repeated with the same Idempotency-Key, it orders no second one, also if the process died
-- between the order and its response (src/rental/payments/payment-store.ts).

alter table payments add column order_key text;
create index payments_of_order_key on payments (account_id, order_key) where order_key is not null;
