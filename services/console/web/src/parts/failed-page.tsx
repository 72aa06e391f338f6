import { Button, Container, Stack, Text, Title } from '@mantine/core';

/** What is shown when a page cannot be: most often it is of a version that is no longer served. */
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
