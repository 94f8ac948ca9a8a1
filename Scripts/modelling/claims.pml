/* How workers share the parts of an import across machines: who holds a part works on its files from where the part's
   cursor stands; what it finds out is recorded, counted, and the cursor moved. One part of two files, two workers.
   A worker whose life seems to be over, because it is gone, was stopped, or is cut off, loses its part to whoever
   claims it next; it does not know. A transaction that was sent may be done long after nobody waits for it any more.

   Who is killed at some step is not chosen again, and all such runs are searched, too.

   Each NO_… leaves one rule out. The promise: each file is counted once, never twice, and when the part is done all are. */

#define FILES 2
#define CLAIMS 3

bool isTaken, isDone;
byte token; /* of the claim that holds the part, 0 when none does */
byte claims; /* so many were made */
byte cursor;
byte counted[FILES];

/* A transaction on its way. */
bool late;
byte lateToken, lateFile;

#if defined(NO_FENCE) || defined(NO_FENCE_INSIDE)
#define HOLDS(t) true
#else
#define HOLDS(t) (token == t)
#endif

#ifdef NO_NEW_TOKEN
#define TOKEN (me + 1)
#else
#define TOKEN claims
#endif

/* Records a file: its count and the cursor. */
inline act(t, file)
{
	if
	:: !isDone && HOLDS(t) ->
		counted[file]++;
#ifndef NO_SINGLE_TRANSACTION
		cursor = file + 1;
		if
		:: cursor == FILES -> isDone = true
		:: else
		fi
#endif
	:: else
	fi
}

proctype worker(byte me)
{
	byte mine, next;
claim:
	atomic {
		/* A part that is free, or whose worker seems to be gone: that may be believed at any time. */
		!isDone && claims < CLAIMS;
		claims++;
		isTaken = true; mine = TOKEN; token = mine;
#ifdef NO_CURSOR
		next = 0
#else
		next = cursor
#endif
	}
	do
	:: next < FILES ->
#ifdef NO_FENCE_INSIDE
		if
		:: token == mine
		:: else -> goto claim
		fi;
#endif
		if
		:: atomic { act(mine, next) }
			if
			:: atomic { HOLDS(mine) && !isDone -> next++ }
			:: atomic { (!HOLDS(mine) || isDone) -> goto over }
			fi;
#ifdef NO_SINGLE_TRANSACTION
			atomic {
				if
				:: HOLDS(mine) && !isDone ->
					cursor = next;
					if
					:: cursor == FILES -> isDone = true
					:: else
					fi
				:: else
				fi
			}
#endif
		:: atomic { !late -> late = true; lateToken = mine; lateFile = next; goto claim } /* no answer */
		fi
	:: next == FILES -> break
	od;
over:
	if
	:: goto claim
	:: true
	fi
}

proctype network()
{
end:
	do
	:: atomic { late -> late = false; act(lateToken, lateFile) }
	od
}

proctype promise()
{
end:
	atomic {
		(counted[0] > 1 || counted[1] > 1 || (isDone && (counted[0] != 1 || counted[1] != 1))) -> assert(false)
	}
}

init {
	atomic { run worker(0); run worker(1); run network(); run promise() }
}
