package io.despina.compare.hazelcast;

import com.hazelcast.function.SupplierEx;
import com.hazelcast.jet.core.AbstractProcessor;
import io.despina.compare.Feeder;
import io.despina.compare.Step;
import java.util.ArrayDeque;

/** The shared feeders and steps as processors; cooperative. */
final class Stepping {
    private Stepping() {
    }

    /** Emits what a feeder has, until the outbox is full. */
    static final class Source extends AbstractProcessor {
        private final SupplierEx<Feeder> maker;
        private Feeder feeder;
        private byte[] pending;

        Source(SupplierEx<Feeder> maker) {
            this.maker = maker;
        }

        @Override
        protected void init(Context context) {
            feeder = maker.get();
        }

        @Override
        public boolean complete() {
            while (pending == null || tryEmit(pending)) {
                pending = feeder.next();
                if (pending == null) {
                    return feeder.isDone();
                }
            }
            return false;
        }
    }

    /** Gives each item to a step; what that puts out waits here while the outbox is full. */
    static final class Processing extends AbstractProcessor {
        private final SupplierEx<Step> maker;
        private final ArrayDeque<byte[]> pending = new ArrayDeque<>();
        private Step step;

        Processing(SupplierEx<Step> maker) {
            this.maker = maker;
        }

        @Override
        protected void init(Context context) {
            step = maker.get();
        }

        @Override
        protected boolean tryProcess(int ordinal, Object item) {
            if (!drain()) {
                return false;
            }
            step.accept(ordinal, (byte[]) item, pending::add);
            drain();
            return true;
        }

        @Override
        public boolean tryProcess() {
            return drain();
        }

        @Override
        public boolean complete() {
            return drain();
        }

        private boolean drain() {
            while (!pending.isEmpty() && tryEmit(pending.peek())) {
                pending.poll();
            }
            return pending.isEmpty();
        }
    }
}
