// The page of `twistbase serve` in a real browser. One browser and one server are there for all tests.

import './first.mjs';
import './views.mjs';
import './entry.mjs';
import './turning.mjs';
import './editing.mjs';
import './playing.mjs';
import './answers.mjs';
import './searches.mjs';
import './outage.mjs';
import './builds.mjs';
import './access.mjs';
