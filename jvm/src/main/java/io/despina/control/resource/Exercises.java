package io.despina.control.resource;

import java.util.concurrent.Executor;

/** What a resource does so that its next job starts sooner. It ends when that comes. */
final class Exercises {
    private final Executor handlers;
    /** The last one; null before. Written by the connection's thread alone. */
    private Rehearsal rehearsal;
    /** Null if it has had none. Written once, before the first message is received. */
    private Practice practice;

    Exercises(Executor handlers) {
        this.handlers = handlers;
    }

    /** @param resource that practises */
    void rehearse(Rehearsal next, String resource) {
        end();
        rehearsal = next;
        handlers.execute(() -> next.run(resource));
    }

    void practise(Practice first) {
        practice = first;
        handlers.execute(first::run);
    }

    void end() {
        if (rehearsal != null) {
            rehearsal.end();
        }
        if (practice != null) {
            practice.end();
        }
    }
}
