/* How a picture gets into a store of objects and out of it again, beside others who do the same: PhotoAttachments,
   `ObjectLedger`. One picture, two writers, who may both take it in, a sweeper that deletes what no record shows, and
   one that clears up behind writers that are gone. Requests may be done long after nobody waits for them any more.

   Nobody is killed here: who stops for ever at some step is not chosen again, and all such runs are searched, too.
   A transaction that is under way may end without a commit.

   Each NO_… leaves one rule out. The promise: a picture that is on record is there. */

#define WRITERS 2
#ifndef LAST
#define LAST 2 /* the last object; 0 is none */
#endif
#define OBJECTS (LAST + 1)
bool there[OBJECTS]; /* the object is in the store */
bool putLate[OBJECTS], deleteLate[OBJECTS]; /* requests on their way, for which nobody waits any more */

/* The ledger. `lock` and `shares` are of the picture's row in it. */
byte named; /* the object that stands for the picture, 0 when none does */
bool doomed[OBJECTS]; /* waits to be deleted */
bool retired[WRITERS];
byte maker[OBJECTS]; /* who wrote the object, by the writer's number and one */
bool lock;
byte shares;
byte nonce = 1; /* the last that was given out and one */

byte records; /* that were committed and show the picture */

#ifdef NO_NEW_KEYS
#define NEW(n) n = 1; maker[1] = w + 1
#else
#define NEW(n) nonce < OBJECTS; n = nonce; maker[n] = w + 1; nonce++
#endif

proctype writer(byte w)
{
	byte n, old;
	byte tries = 0;
again:
	atomic {
		if
		:: tries == 2 - w -> goto over /* the first may try twice */
		:: else -> tries++
		fi;
		if
		:: named != 0 -> goto record /* equal bytes are there */
		:: NEW(n)
		fi
	}
put:
	if
	:: there[n] = true
	:: atomic { !putLate[n] -> putLate[n] = true; goto put } /* no answer: once more, to the same name */
#ifdef NO_ANSWER
	:: putLate[n] = true
#endif
	fi;
	/* The name, in one transaction. */
	atomic {
		!lock && shares == 0;
#ifndef NO_FENCE
		if
		:: retired[w] -> goto over
		:: else
		fi;
#endif
		old = named; named = n;
		if
		:: old != 0 && old != n -> doomed[old] = true
		:: else
		fi;
		old = 0
	}
record:
#ifdef NO_CHECK
	if
	:: named == 0 -> goto again /* looked at, but not held */
	:: else
	fi;
	records++;
#else
	/* The transaction that records: what it names is held until its end. */
	atomic {
		!lock;
		if
		:: named == 0 -> goto again
		:: else -> shares++
		fi
	}
	if
	:: atomic { records++; shares-- }
	:: atomic { shares--; goto again }
	fi;
#endif
	if
	:: w == 0 -> records-- /* the photo is taken away */
	:: true
	fi;
over:
	skip
}

proctype sweeper()
{
	byte n, seen;
	seen = records;
	atomic { !lock && shares == 0; lock = true }
	atomic {
#ifndef NO_SECOND_STATEMENT
		seen = records; /* a statement of its own sees what was committed before the lock was had */
#endif
		n = named;
		if
		:: n == 0 || seen > 0 -> lock = false; goto over
#ifndef NO_BELT
		:: n != 0 && seen == 0 && records > 0 -> lock = false; goto over /* the foreign key refuses */
		:: n != 0 && seen == 0 && records == 0
#else
		:: n != 0 && seen == 0
#endif
		fi
	}
#ifdef NO_COMMIT_FIRST
	there[n] = false;
#endif
	if
	:: atomic { named = 0; doomed[n] = true; lock = false }
	:: lock = false; goto over /* no commit */
	fi;
	/* What waits to be deleted, this object or one that a name was taken from. */
	atomic {
		select (n : 1 .. LAST);
		if
		:: doomed[n] -> doomed[n] = false
		:: else -> goto over
		fi;
		if
		:: there[n] = false
		:: deleteLate[n] = true
		fi
	}
over:
	skip
}

/* Clears up behind a writer that is gone, or so it believes. */
proctype clearer()
{
	byte n;
	bool isNamed;
	atomic { select (n : 1 .. LAST) }
#ifdef NO_RETIRING_FIRST
	isNamed = (named == n);
#endif
#ifndef NO_HOLD
	atomic { maker[n] != 0 && !lock -> retired[maker[n] - 1] = true }
#endif
	atomic {
		there[n] && !doomed[n];
#ifndef NO_RETIRING_FIRST
		isNamed = (named == n)
#endif
	}
	if
	:: !isNamed -> there[n] = false
	:: !isNamed -> deleteLate[n] = true
	fi
}

/* Late requests are done at any time, or never. */
proctype network()
{
end:
	do
	:: atomic { putLate[1] -> putLate[1] = false; there[1] = true }
	:: atomic { deleteLate[1] -> deleteLate[1] = false; there[1] = false }
	:: atomic { putLate[2] -> putLate[2] = false; there[2] = true }
	:: atomic { deleteLate[2] -> deleteLate[2] = false; there[2] = false }
#if LAST > 2
	:: atomic { putLate[3] -> putLate[3] = false; there[3] = true }
	:: atomic { deleteLate[3] -> deleteLate[3] = false; there[3] = false }
#endif
	od
}

#define ISTHERE (named != 0 && there[named])
proctype promise()
{
end:
	atomic { records > 0 && !ISTHERE -> assert(false) }
}

init {
	atomic { run writer(0); run writer(1); run sweeper(); run clearer(); run network(); run promise() }
}
