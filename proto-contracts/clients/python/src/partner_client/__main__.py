"""`python -m partner_client`."""

import sys

from .listen import main

sys.exit(main())
