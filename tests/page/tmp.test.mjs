import './first.mjs';
import './views.mjs';
