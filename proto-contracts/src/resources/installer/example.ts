export const BOUND_COMPANY = { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers' };
