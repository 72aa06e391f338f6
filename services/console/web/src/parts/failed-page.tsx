import { Button, Container, Stack, Text, Title } from '@mantine/core';

/** What is shown when a page can not be: most often it is of a version that is no longer served. */
export function FailedPage() {
  return (
    <Container component="section" size="sm" py="xl">
      <Stack align="flex-start">
        <Title order={1}>This page could not be shown</Title>
        <Text>There may be a newer version of the console. Loading it again helps then.</Text>
        <Button onClick={() => location.reload()}>Load again</Button>
      </Stack>
    </Container>
  );
}
