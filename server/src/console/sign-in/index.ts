export { AuthService, type Challenge, type SignIn } from './auth.service.js';
