import { Button, Container, Stack, Text, Title } from '@mantine/core';

/** Shown if a page cannot be loaded, most often because its version is no longer served. */
export function FailedPage() {
  return (
    <Container component="section" size="sm" py="xl">
      <Stack align="flex-start">
        <Title order={1}>This page failed to load</Title>
        <Text>There may be a newer version of the console. Reload the page.</Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Container>
  );
}
