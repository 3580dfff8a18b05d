package io.despina.compare.flink;

import io.despina.compare.Feeder;
import io.despina.compare.Maker;
import io.despina.compare.Step;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.util.Collector;

/** The shared feeders and steps as a source, as functions of one and of two inputs, and as a sink. */
final class Stepping {
    private Stepping() {
    }

    /** Emits what a feeder has. */
    static final class Fed implements Feed<byte[]> {
        private static final long serialVersionUID = 1;
        private static final int MOST_PER_POLL = 256;
        private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

        private final Maker<Feeder> maker;
        private transient Feeder feeder;

        Fed(Maker<Feeder> maker) {
            this.maker = maker;
        }

        @Override
        public void open() {
            feeder = maker.get();
        }

        @Override
        public InputStatus poll(ReaderOutput<byte[]> output) {
            for (int k = 0; k < MOST_PER_POLL; k++) {
                byte[] record = feeder.next();
                if (record == null) {
                    if (feeder.isDone()) {
                        return InputStatus.END_OF_INPUT;
                    }
                    if (feeder.waitNanos() == Feeder.NEVER) {
                        return InputStatus.NOTHING_AVAILABLE;
                    }
                    if (k == 0) {
                        LockSupport.parkNanos(Math.min(LONGEST_WAIT_NANOS, feeder.waitNanos()));
                    }
                    break;
                }
                output.collect(record);
            }
            return InputStatus.MORE_AVAILABLE;
        }
    }

    /** A step, made where it runs and when its first record is there. */
    private static final class Made implements Serializable {
        private static final long serialVersionUID = 1;

        private final Maker<Step> maker;
        private transient Step step;

        Made(Maker<Step> maker) {
            this.maker = maker;
        }

        void accept(int input, byte[] record, Collector<byte[]> out) {
            if (step == null) {
                step = maker.get();
            }
            step.accept(input, record, out::collect);
        }
    }

    /** A step of one input. */
    static ProcessFunction<byte[], byte[]> one(Maker<Step> maker) {
        Made step = new Made(maker);
        return new ProcessFunction<>() {
            private static final long serialVersionUID = 1;

            @Override
            public void processElement(byte[] record, Context context, Collector<byte[]> out) {
                step.accept(0, record, out);
            }
        };
    }

    /** A step of two inputs. */
    static CoProcessFunction<byte[], byte[], byte[]> two(Maker<Step> maker) {
        Made step = new Made(maker);
        return new CoProcessFunction<>() {
            private static final long serialVersionUID = 1;

            @Override
            public void processElement1(byte[] record, Context context, Collector<byte[]> out) {
                step.accept(0, record, out);
            }

            @Override
            public void processElement2(byte[] record, Context context, Collector<byte[]> out) {
                step.accept(1, record, out);
            }
        };
    }

    static Consumer<byte[]> sink(Maker<Step> maker) {
        return new Consumer<>(() -> {
            Step step = maker.get();
            return record -> step.accept(0, record, out -> {
                throw new IllegalStateException("a sink emits nothing");
            });
        });
    }
}
