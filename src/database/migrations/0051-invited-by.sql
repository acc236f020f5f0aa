-- Who invited (src/rental/people): open invitations end with the right of that person. Null: a token of the team, or an operator.
alter table invitations add column invited_by uuid references people;
