export { StatementService } from './statement.service.js';
