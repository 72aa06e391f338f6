/** The columns that move from `deliveries` to `finished_deliveries`, apart from the outcome and its time. */
export const RETAINED_COLUMNS = `id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
  secret_version, replay_of, bulk_replay_id, created_at`;
