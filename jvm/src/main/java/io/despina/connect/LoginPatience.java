package io.despina.connect;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** How long a source tries again while a server refuses a login that it has taken before: its field {@code retry_for_ms}. */
public final class LoginPatience {
    private final long millis;
    private final LongSupplier clock;
    private boolean refused;
    private long since;

    public LoginPatience(ConnectorSettings settings) {
        this(settings.whole("retry_for_ms"), System::nanoTime);
    }

    /** @param clock in nanoseconds */
    LoginPatience(long millis, LongSupplier clock) {
        this.millis = millis;
        this.clock = clock;
    }

    /** The server has let us in, or does not answer. */
    public void ends() {
        refused = false;
    }

    /**
     * A try has failed.
     *
     * @throws LoginException if the server has refused for as long as it may
     */
    public void lost(IOException why) throws LoginException {
        if (!(why instanceof LoginException)) {
            ends();
            return;
        }
        long now = clock.getAsLong();
        since = refused ? since : now;
        refused = true;
        if (now - since >= TimeUnit.MILLISECONDS.toNanos(millis)) {
            throw new LoginException(why.getMessage() + "; tried again for retry_for_ms=" + millis, why);
        }
    }
}
