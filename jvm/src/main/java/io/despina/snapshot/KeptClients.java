package io.despina.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Clients of servers, one of the process for each login. One is made when it is needed, and closed when nobody has used it
 * between two looks, {@value #LOOK_SECONDS} s apart: a process that runs for months meets many servers. Thread-safe.
 *
 * @param <K> what a client logs in with
 * @param <C> the client; closing it throws nothing that counts
 */
final class KeptClients<K, C extends AutoCloseable> {
    private static final long LOOK_SECONDS = 60;

    private final Function<K, C> making;
    private final Later later;
    // guarded by this
    private final Map<K, Kept<C>> all = new HashMap<>();
    private boolean looks;

    /** Runs something at the time of the next look. */
    @FunctionalInterface
    interface Later {
        void run(Runnable what);
    }

    /** Uses a client. */
    @FunctionalInterface
    interface ClientCall<C, T> {
        T of(C client) throws Exception;
    }

    private static final class Kept<C> {
        private final C client;
        private int users;
        /** Since the last look. */
        private boolean used;

        private Kept(C client) {
            this.client = client;
        }
    }

    KeptClients(Function<K, C> making, Later later) {
        this.making = making;
        this.later = later;
    }

    /** Of a process. */
    KeptClients(Function<K, C> making) {
        this(making, what -> CompletableFuture.delayedExecutor(LOOK_SECONDS, TimeUnit.SECONDS).execute(what));
    }

    /** @throws Exception what the use throws */
    <T> T use(K login, ClientCall<C, T> what) throws Exception {
        Kept<C> kept = begin(login);
        try {
            return what.of(kept.client);
        } finally {
            end(kept);
        }
    }

    private synchronized Kept<C> begin(K login) {
        Kept<C> kept = all.computeIfAbsent(login, any -> new Kept<>(making.apply(login)));
        kept.users++;
        kept.used = true;
        if (!looks) {
            looks = true;
            later.run(this::look);
        }
        return kept;
    }

    private synchronized void end(Kept<C> kept) {
        kept.users--;
        kept.used = true;
    }

    /** Closing may take a second, in which others are used. */
    private void look() {
        List<C> idle = new ArrayList<>();
        takeIdle(idle);
        idle.forEach(KeptClients::close);
    }

    private synchronized void takeIdle(List<C> idle) {
        all.values().removeIf(kept -> kept.users == 0 && !kept.used && idle.add(kept.client));
        all.values().forEach(kept -> kept.used = false);
        looks = !all.isEmpty();
        if (looks) {
            later.run(this::look);
        }
    }

    private static void close(AutoCloseable client) {
        try {
            client.close();
        } catch (Exception gone) {
            System.getLogger(KeptClients.class.getName()).log(System.Logger.Level.DEBUG, "its server is gone", gone);
        }
    }
}
