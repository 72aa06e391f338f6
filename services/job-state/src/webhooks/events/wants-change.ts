/**
 * Whether a subscription's filter of fields lets an event through: it has no filter, or names for the event, else for its group, no
 * field or one that changed. An event that says nothing about changes, or that none was made, says something else and always passes.
 *
 * `fields` and `name` are expressions of SQL, `changed` one for an array of texts or null.
 */
export const wantsChange = (fields: string, name: string, changed: string) =>
  `(case when ${fields} is null then true
    else (coalesce(${fields} -> ${name}, ${fields} -> (split_part(${name}, '.', 1) || '.*')) ?| nullif(${changed}, '{}')) is not false end)`;

/** The same for a list of fields that concerns every event. */
export const hasChanged = (changed: string, fields: string) =>
  `(nullif(${changed}, '{}') && ${fields}) is not false`;

/** The fields that the stored body of an event `e` names as changed; null without any. */
export const CHANGED_IN_BODY = `(
    select array(select jsonb_array_elements_text(body -> 'changed'))
    from (select convert_from(e.body, 'UTF8')::jsonb as body offset 0) as parsed where body ? 'changed'
  )`;

/** {@link wantsChange} of values: `changed` is null for an event that says nothing about changes. */
export function wantsThis(
  fields: Readonly<Record<string, readonly string[]>> | null,
  name: string,
  changed: readonly string[] | null,
): boolean {
  const named = fields?.[name] ?? fields?.[`${name.slice(0, name.indexOf('.'))}.*`];
  if (named === undefined || changed === null || changed.length === 0) return true;
  return named.some((field) => changed.includes(field));
}
