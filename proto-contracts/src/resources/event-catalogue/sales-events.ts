import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { defineEvent, depositId, EXAMPLE, id, invoiceId, money, projectId } from './define-event.js';

const LEAD_ID = 'lead_01k3h1x9c4fdr8v2m7zq5tbwne';

const OF_PROJECT = { projectId: EXAMPLE.projectId, leadId: LEAD_ID };

const QUOTE_ID = 'quo_01k3h3f6r2x9vq8m4wt5nzc7be';

/** An event about a resource of a project, for the company of the project only. */
const ofProject = {
  projectId,
  leadId: z
    .string()
    .nullable()
    .optional()
    .meta({
      description:
        'The lead of the project. Null if the project has none. Events that were recorded before 2026-11-26 do not have the' +
        ' field.',
    }),
};

const quoteId = id('The id of the quote.');

const quote = (version: number) => ({ type: 'quote', id: QUOTE_ID, version });

const project = { type: 'project', id: EXAMPLE.projectId, version: 4 };

const deposit = { type: 'deposit', id: EXAMPLE.depositId };

/** What a new version of an appointment can change. */
export const APPOINTMENT_FIELDS = ['projectId', 'startsAt', 'endsAt', 'notes'] as const;

export const SALES_EVENTS = {
  'quote.sent': defineEvent({
    meaning: 'a quote was sent to the customer',
    classes: ['SALES'],
    data: z.strictObject({
      quoteId,
      ...ofProject,
      total: money,
      validUntil: dateTimeOut.nullable().meta({ description: 'Null if it does not expire.' }),
    }),
    resource: quote(1),
    example: {
      quoteId: QUOTE_ID,
      ...OF_PROJECT,
      total: EXAMPLE.total,
      validUntil: '2026-10-03T23:59:59.000Z',
    },
  }),
  'quote.viewed': defineEvent({
    meaning: 'the customer opened the quote link',
    classes: ['SALES'],
    data: z.strictObject({ quoteId, ...ofProject, viewedAt: dateTimeOut }),
    resource: quote(2),
    example: { quoteId: QUOTE_ID, ...OF_PROJECT, viewedAt: EXAMPLE.at },
  }),
  'quote.accepted': defineEvent({
    meaning: 'the customer accepted an option',
    classes: ['SALES'],
    data: z.strictObject({
      quoteId,
      ...ofProject,
      optionName: z.string().nullable().meta({ description: 'Null if there was only one option.' }),
      total: money,
      acceptedAt: dateTimeOut,
    }),
    resource: quote(3),
    example: {
      quoteId: QUOTE_ID,
      ...OF_PROJECT,
      optionName: 'Heat pump with water heater',
      total: EXAMPLE.total,
      acceptedAt: EXAMPLE.at,
    },
  }),
  'project.stage_changed': defineEvent({
    meaning: 'any pipeline stage change',
    classes: ['SALES'],
    data: z.strictObject({
      ...ofProject,
      previousStage: z.string().nullable().meta({ description: 'Null for the first stage.' }),
      stage: id('The stage after the change.'),
    }),
    resource: project,
    fields: ['stage'],
    example: { ...OF_PROJECT, previousStage: 'DESIGN', stage: 'PERMITTING' },
  }),
  'appointment.booked': defineEvent({
    meaning: 'an appointment was created or moved',
    classes: ['SALES'],
    data: z.strictObject({
      appointmentId: id('The id of the appointment.'),
      leadId: id('The lead that it is for.'),
      projectId: projectId.nullable().meta({
        description:
          'The project that the booking names, else that of the lead. Null in events from before 2026-11-26 if the booking named' +
          ' none.',
      }),
      startsAt: dateTimeOut,
      endsAt: dateTimeOut,
      notes: id('The notes of the booking.').nullable(),
    }),
    resource: {
      type: 'appointment',
      id: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
      version: 1,
    },
    fields: APPOINTMENT_FIELDS,
    example: {
      appointmentId: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
      leadId: LEAD_ID,
      projectId: EXAMPLE.projectId,
      startsAt: '2026-09-01T15:00:00.000Z',
      endsAt: '2026-09-01T17:00:00.000Z',
      notes: 'Ring twice. The dog is friendly.',
    },
  }),
  'deposit.paid': defineEvent({
    meaning: 'customer deposit settled',
    classes: ['SALES'],
    data: z.strictObject({ depositId, ...ofProject, amount: money, paidAt: dateTimeOut }),
    resource: { ...deposit, version: 1 },
    example: {
      depositId: EXAMPLE.depositId,
      ...OF_PROJECT,
      amount: EXAMPLE.deposit,
      paidAt: EXAMPLE.at,
    },
  }),
  'deposit.refunded': defineEvent({
    meaning: 'customer deposit reversed',
    classes: ['SALES'],
    data: z.strictObject({
      depositId,
      ...ofProject,
      amount: money,
      refundedAt: dateTimeOut,
    }),
    resource: { ...deposit, version: 2 },
    example: {
      depositId: EXAMPLE.depositId,
      ...OF_PROJECT,
      amount: EXAMPLE.deposit,
      refundedAt: EXAMPLE.at,
    },
  }),
  'invoice.issued': defineEvent({
    meaning: 'an invoice was issued',
    classes: ['SALES'],
    data: z.strictObject({
      invoiceId,
      ...ofProject,
      invoiceNumber: id('The number printed on the invoice.'),
      total: money,
      issuedAt: dateTimeOut,
      dueAt: dateTimeOut.nullable().meta({ description: 'Null: immediately.' }),
    }),
    resource: { type: 'invoice', id: EXAMPLE.invoiceId, version: 1 },
    example: {
      invoiceId: EXAMPLE.invoiceId,
      ...OF_PROJECT,
      invoiceNumber: EXAMPLE.invoiceNumber,
      total: EXAMPLE.total,
      issuedAt: EXAMPLE.at,
      dueAt: '2026-10-03T00:00:00.000Z',
    },
  }),
  'rebate.status_changed': defineEvent({
    meaning: 'a rebate or incentive application changed state',
    classes: ['SALES'],
    data: z.strictObject({
      rebateId: id('The id of the rebate or incentive.'),
      ...ofProject,
      programme: id('The program that grants it.'),
      previousStatus: z.string().nullable().meta({ description: 'Null for the first state.' }),
      status: id('The status after the change.'),
    }),
    resource: {
      type: 'rebate',
      id: 'reb_01k3hc7v4x2m9wt6qz8nr5dcbe',
      version: 2,
    },
    example: {
      rebateId: 'reb_01k3hc7v4x2m9wt6qz8nr5dcbe',
      ...OF_PROJECT,
      programme: 'State heat pump rebate',
      previousStatus: 'SUBMITTED',
      status: 'APPROVED',
    },
  }),
  'project.completed': defineEvent({
    meaning: 'project closed out',
    classes: ['SALES'],
    data: z.strictObject({ ...ofProject, completedAt: dateTimeOut }),
    resource: project,
    fields: ['completedAt'],
    example: { ...OF_PROJECT, completedAt: EXAMPLE.at },
  }),
} as const;
