-- The filters of list_audit_logs that people ask for most. The log is written far more often than read, so times get an
-- index that costs next to nothing to keep.
create index audit_log_case on audit_log (company_id, case_id, id) where case_id is not null;
create index audit_log_client on audit_log (company_id, client_id, id) where client_id is not null;
create index audit_log_time on audit_log using brin (created_at);
