import { getHeapStatistics } from 'node:v8';

/**
 * Returns the memory that this process may use, in bytes: the limit of its container or of its heap, whichever is lower. The charts
 * set both from one value.
 */
export function memoryLimitBytes(): number {
  const { heap_size_limit: heapBytes } = getHeapStatistics();
  const containerBytes = process.constrainedMemory();
  return containerBytes > 0 ? Math.min(containerBytes, heapBytes) : heapBytes;
}
