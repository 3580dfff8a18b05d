package io.despina.mqtt;

import io.despina.connect.LoginException;
import io.despina.connect.LoginPatience;
import io.despina.connect.RefusedException;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a connection to a broker: when one ends, it makes another, with waits that double. The first may take so long as
 * its user says; later it tries as long as nobody closes it, and says once that it does.
 */
final class KeptLink implements Link.User {
    private static final long FIRST_WAIT_MS = 100;
    private static final long MOST_WAIT_MS = 5_000;
    /** A connection that lasts so long was a good one. */
    private static final long STEADY_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** After so many that did not last, the user is told. */
    private static final int UNSTEADY = 5;

    /** Who uses it. All calls come from the thread of a connection. */
    interface User {
        /** There is a connection. @return whether it may be used; if not yet, {@link KeptLink#ready} says so */
        boolean connected(Link link, boolean session, MqttProperties limits);

        void received(Link link, MqttMessage message);

        /** It has ended; another one may follow. */
        void lost(Link link);

        /** No other one follows. */
        void failed(IOException why);

        void warn(String what);
    }

    private final Broker broker;
    private final Link.Opening opening;
    private final User user;
    /** Guarded by this. */
    private final LoginPatience login;
    private final CompletableFuture<Void> first = new CompletableFuture<>();
    private final long begun = System.nanoTime();
    private volatile long patienceMs;

    // guarded by this
    private Link link;
    private boolean closed;
    private boolean wasReady;
    private boolean toldAway;
    private boolean toldLogin;
    private boolean toldUnsteady;
    private int unsteady;
    private long readySince;
    private long waitMs = FIRST_WAIT_MS;

    KeptLink(Broker broker, Link.Opening opening, User user, LoginPatience login) {
        this.broker = broker;
        this.opening = opening;
        this.user = user;
        this.login = login;
    }

    /** Makes a connection, and blocks until it may be used. @param millis how long it tries */
    void open(long millis) throws IOException, InterruptedException {
        patienceMs = millis;
        connect();
        try {
            first.get();
        } catch (ExecutionException e) {
            throw (IOException) e.getCause();
        }
    }

    private synchronized void connect() {
        if (!closed) {
            link = Link.open(broker, opening, this);
        }
    }

    /** The connection may be used. */
    void ready() {
        boolean again;
        synchronized (this) {
            login.ends();
            again = toldAway;
            toldAway = false;
            toldLogin = false;
            wasReady = true;
            readySince = System.nanoTime();
        }
        if (again) {
            user.warn("`broker` " + broker + " answers again");
        }
        first.complete(null);
    }

    @Override
    public void connected(Link made, boolean session, MqttProperties limits) {
        if (user.connected(made, session, limits)) {
            ready();
        }
    }

    @Override
    public void received(Link from, MqttMessage message) {
        user.received(from, message);
    }

    @Override
    public void lost(Link ended, IOException why) {
        boolean isFirst;
        synchronized (this) {
            if (closed || ended != link && link != null) {
                return;
            }
            isFirst = !wasReady;
        }
        if (isFirst) {
            lostAtFirst(why);
        } else if (why instanceof RefusedException) {
            refuse(why);
        } else {
            user.lost(ended);
            tryAgain(why);
        }
    }

    private void tryAgain(IOException why) {
        try {
            synchronized (this) {
                login.lost(why);
            }
        } catch (LoginException forGood) {
            refuse(forGood);
            return;
        }
        again(why);
    }

    private void lostAtFirst(IOException why) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        if (why instanceof RefusedException || why instanceof LoginException) {
            refuse(why);
        } else if (millis >= patienceMs) {
            refuse(new IOException(why.getMessage() + "; it was tried for " + patienceMs + " ms", why));
        } else {
            later(Math.min(FIRST_WAIT_MS, patienceMs - millis));
        }
    }

    private void again(IOException why) {
        String told = null;
        long wait;
        synchronized (this) {
            boolean steady = readySince != 0 && System.nanoTime() - readySince > STEADY_NANOS;
            boolean isLogin = why instanceof LoginException;
            if (readySince == 0 && (!toldAway || isLogin && !toldLogin)) {
                toldAway = true;
                toldLogin = isLogin;
                told = why.getMessage() + "; it waits";
            } else if (readySince != 0) {
                unsteady = steady ? 0 : unsteady + 1;
                if (unsteady == UNSTEADY && !toldUnsteady) {
                    toldUnsteady = true;
                    told = why.getMessage() + ", again and again: perhaps another client has the client id `" + broker.client()
                            + "`";
                }
            }
            waitMs = steady ? FIRST_WAIT_MS : Math.min(MOST_WAIT_MS, 2 * waitMs);
            wait = waitMs;
            readySince = 0;
        }
        if (told != null) {
            user.warn(told);
        }
        later(wait);
    }

    private void later(long millis) {
        Link.THREADS.schedule(this::connect, millis, TimeUnit.MILLISECONDS);
    }

    /** There is no use in another connection. */
    void refuse(IOException why) {
        synchronized (this) {
            closed = true;
        }
        if (!first.completeExceptionally(why)) {
            user.failed(why);
        }
    }

    /** Ends the connection. Blocks for a moment. */
    void close(MqttProperties farewell) {
        Link last;
        synchronized (this) {
            closed = true;
            last = link;
        }
        if (last != null) {
            last.close(farewell);
        }
    }
}
