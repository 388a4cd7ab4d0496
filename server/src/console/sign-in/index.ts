export { AuthService, confirmedMilliseconds, type SignIn } from './auth.service.js';
export { type Challenge } from './../auth/index.js';
