import { Code, Group } from '@mantine/core';

/** The events of a subscription in one line. */
export function EventPatterns({ events }: { readonly events: readonly string[] }) {
  return (
    <Group gap={6} component="span">
      {events.map((event) => (
        <Code key={event} style={{ whiteSpace: 'nowrap' }}>
          {event}
        </Code>
      ))}
    </Group>
  );
}
