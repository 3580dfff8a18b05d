package io.despina.compare.hazelcast;

import com.hazelcast.jet.core.AbstractProcessor;
import io.despina.compare.Arrivals;
import io.despina.compare.Presence;
import io.despina.compare.Settings;

/** Relay and sink of relay packets; cooperative, as Jet advises for what does not block. */
final class Relaying {
    private Relaying() {
    }

    /** Passes each packet on. */
    static final class Relay extends AbstractProcessor {
        private final Settings settings;

        Relay(Settings settings) {
            this.settings = settings;
        }

        @Override
        protected void init(Context context) {
            Presence.announce(settings, "relay");
        }

        @Override
        protected boolean tryProcess(int ordinal, Object item) {
            return tryEmit(item);
        }
    }

    /** Checks and counts; one that sleeps per packet says that it blocks, and gets a thread. */
    static final class Sink extends AbstractProcessor {
        private final Settings settings;
        private Arrivals arrivals;

        Sink(Settings settings) {
            this.settings = settings;
        }

        @Override
        public boolean isCooperative() {
            return settings.number("sleep_ms", 0) == 0;
        }

        @Override
        protected void init(Context context) {
            arrivals = new Arrivals(settings);
        }

        @Override
        protected boolean tryProcess(int ordinal, Object item) {
            arrivals.accept((byte[]) item);
            return true;
        }
    }
}
