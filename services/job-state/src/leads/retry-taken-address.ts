import pg from 'pg';

/**
 * Runs a transaction that may create a project at an address, and once more if another transaction has taken the address since
 * it was looked up.
 *
 * The other transaction is committed by then, so the second run finds its project.
 */
export async function retryTakenAddress<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.constraint === 'projects_address_key_key') {
      return transaction();
    }
    throw error;
  }
}
