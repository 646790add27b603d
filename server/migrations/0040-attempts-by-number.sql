-- The law counts how often somebody is rung, whoever's contact and whichever campaign it is.
create index calls_to_number on calls (company_id, to_number, created_at);
create index messages_to_address on messages (company_id, to_address, sent_at) where sent_at is not null;
