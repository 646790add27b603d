-- Text found anywhere in a name or an address: among a million clients 7 ms instead of 1.9 s. In return, 5,000 new clients
-- take 0.2 s instead of 0.1 s.
create index clients_search on clients using gin
  (company_id, (first_name || ' ' || last_name) gin_trgm_ops, email gin_trgm_ops) where deleted_at is null;
