import './configure-schemas.js';
import { start } from './start.js';

start();
