/**
 * Query for the ids of the resources whose events are about a resource: itself, and for a project or a lead also the project, its
 * quotes, deposits, invoices and rebates, and its appointments.
 *
 * Only those of the company. `companyId` and `resourceId` are expressions of SQL. Each branch has an index.
 */
export function resourcesAbout(companyId: string, resourceId: string): string {
  return `with project as (
       select id, lead_id from projects where company_id = ${companyId} and (id = ${resourceId} or lead_id = ${resourceId})
     )
     select ${resourceId} as id
     union select id from project
     union select r.id from sales_records r join project p on r.project_id = p.id where r.company_id = ${companyId}
     union select id from appointments where lead_id = ${resourceId} and company_id = ${companyId}
     union select a.id from appointments a join project p on a.project_id = p.id where a.company_id = ${companyId}
     union select a.id from appointments a join project p on a.lead_id = p.lead_id
       where a.project_id is null and a.company_id = ${companyId}`;
}

/**
 * Query for the ids of the resources that an owner names by a text: the one with this id, and the company's jobs with this work order
 * number. `companyId` and `text` are expressions of SQL.
 */
export function resourcesNamed(companyId: string, text: string): string {
  return `select ${text}::text as id union all
     select id from jobs
     where work_order_no = ${text} and ${companyId} in (selling_company_id, installer_company_id)`;
}
