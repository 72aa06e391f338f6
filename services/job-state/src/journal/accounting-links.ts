/**
 * The accounting companies that a company is linked to at an instant, as an SQL array in ascending order.
 *
 * `company` and `instant` are SQL expressions; `except` is a condition on rows of `accounting_links link` to ignore.
 */
export function linkedAt(company: string, instant: string, except = 'false'): string {
  return `coalesce((
    select link.accounting_company_ids from accounting_links link
    where link.company_id = ${company} and link.effective_from <= ${instant} and not (${except})
    order by link.version desc, link.revision desc limit 1
  ), '{}')`;
}

/** The accounting companies in the newest change of a company's links, as an SQL array in ascending order. */
export function linkedNow(company: string): string {
  return linkedAt(company, `'infinity'`);
}
