package io.despina.connect;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A server that is away: the user is told once that it is, and once that it is back. Of one thread. */
public final class ServerOutage {
    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String operator;
    private final String server;
    private final Consumer<String> warn;
    private boolean told;
    private boolean toldLogin;
    private long wait = FIRST_WAIT_NANOS;

    /** @param server as the graph names it */
    public ServerOutage(String operator, String server, Consumer<String> warn) {
        this.operator = operator;
        this.server = server;
        this.warn = warn;
    }

    /** The same for what a try has failed with: that it refuses the login is told too, once. @param then what follows */
    public long goesOn(IOException why, String then) {
        boolean isLogin = why instanceof LoginException;
        told &= !isLogin || toldLogin;
        toldLogin |= isLogin;
        return goesOn(why.getMessage() + then);
    }

    /** It does not answer. @return how long to wait before another try, in nanoseconds; longer from time to time */
    public long goesOn(String why) {
        if (!told) {
            told = true;
            warn.accept("`" + operator + "`: " + why);
        }
        long now = wait;
        wait = Math.min(MOST_WAIT_NANOS, 2 * wait);
        return now;
    }

    /** It answers. */
    public void ends() {
        wait = FIRST_WAIT_NANOS;
        if (told) {
            told = false;
            toldLogin = false;
            warn.accept("`" + operator + "`: " + server + " answers again");
        }
    }
}
