-- The audit log is only ever added to, by whatever role: a superuser or the table's owner is refused like anybody else.
-- The one exception is the law's: when a client is erased, the values in the entries about it go too. What happened,
-- when and by whom stays, and so does the entry of the erasure itself.
create function keep_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.changes is null and to_jsonb(new) - 'changes' = to_jsonb(old) - 'changes' and old.client_id is not null
      and not exists (select from clients c where c.company_id = old.company_id and c.id = old.client_id)
    then
      return new;
    end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_log_keeps_entries before update on audit_log for each row execute function keep_audit_log();
create trigger audit_log_keeps_rows before delete or truncate on audit_log for each statement execute function keep_audit_log();
