package io.despina.snapshot;

import io.despina.snapshot.EpochFile.Written;

/**
 * The files that a resource has written in one attempt, as far as the next one may go on from them. States write what has changed
 * since they were frozen last. So if that did not become durable, or what has changed is much, all is written anew. Any thread.
 */
public final class EpochChain {
    /** The most files of changes; to read more would take long. */
    static final int MOST_CHANGES = 64;
    /** So many times as large as all changes together a base is at least. */
    private static final int BASE = 2;

    private Written last = Written.NOTHING;
    /** Of the file begun last. */
    private long begun;

    /** The file of an epoch is begun. @return what it goes on from; {@link Written#NOTHING} if it is a base */
    public synchronized Written begin(long epoch) {
        Written before = last;
        begun = epoch;
        last = Written.NOTHING;      // until the new one is durable
        return before.files().isEmpty() || before.files().size() > MOST_CHANGES || isMuch(before) ? Written.NOTHING : before;
    }

    private static boolean isMuch(Written written) {
        long all = written.files().stream().mapToLong(Manifest.DataFile::length).sum();
        long base = written.files().get(0).length();
        return BASE * (all - base) > base;
    }

    /** The file of an epoch is durable, whether or not the epoch is ever complete. It may be, and another begun since. */
    public synchronized void durable(long epoch, Written written) {
        if (epoch == begun) {
            last = written;
        }
    }
}
