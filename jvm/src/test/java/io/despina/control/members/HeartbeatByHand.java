package io.despina.control.members;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer that leaves what is to be done again and again to the test. */
final class HeartbeatByHand extends ScheduledThreadPoolExecutor {
    private Runnable heartbeat;

    HeartbeatByHand() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable what, long first, long every, TimeUnit unit) {
        heartbeat = what;
        return null;
    }

    void beat() {
        heartbeat.run();
    }
}
