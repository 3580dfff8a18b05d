package io.despina.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Threads of a log that a test runs by hand, on one thread, with a clock of its own. */
final class CrankedThreads implements LogThreads {
    private record Work(long at, Runnable what) {
    }

    private final List<Work> work = new ArrayList<>();
    private long now;

    @Override
    public void execute(Runnable what) {
        work.add(new Work(now, what));
    }

    @Override
    public void after(long nanos, Runnable what) {
        work.add(new Work(now + nanos, what));
    }

    @Override
    public long nanoTime() {
        return now;
    }

    /** Runs one piece of work that is due. @return false if none is */
    boolean runOne(Random random) {
        List<Work> due = work.stream().filter(each -> each.at <= now).toList();
        if (due.isEmpty()) {
            return false;
        }
        Work next = due.get(random.nextInt(due.size()));
        work.remove(next);
        next.what.run();
        return true;
    }

    void advance(long nanos) {
        now += nanos;
    }

    /** Runs whatever comes within that time. */
    void runFor(long nanos) {
        long until = now + nanos;
        Random first = new Random(0);
        while (true) {
            while (runOne(first)) {
                // until nothing is due
            }
            long next = work.stream().mapToLong(Work::at).min().orElse(Long.MAX_VALUE);
            if (next > until) {
                now = until;
                return;
            }
            now = next;
        }
    }
}
