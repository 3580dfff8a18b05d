package io.despina.compare.flink;

import io.despina.compare.Feeder;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import io.despina.compare.Topology;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.co.CoProcessFunction;
import org.apache.flink.util.Collector;

/** The shared feeders and steps as a source, as functions of one and of two inputs, and as a sink. */
final class Stepping {
    private Stepping() {
    }

    /** Makes a feeder or a step where it runs. */
    interface Maker<T> extends Supplier<T>, Serializable {
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

    static Maker<Step> step(Topology.Operator operator, Settings settings, int job) {
        return () -> operator.step(settings, job);
    }

    /** A step of one input. */
    static final class One extends ProcessFunction<byte[], byte[]> {
        private static final long serialVersionUID = 1;

        private final Maker<Step> maker;
        private transient Step step;

        One(Maker<Step> maker) {
            this.maker = maker;
        }

        @Override
        public void open(OpenContext context) {
            step = maker.get();
        }

        @Override
        public void processElement(byte[] record, Context context, Collector<byte[]> out) {
            step.accept(0, record, out::collect);
        }
    }

    /** A step of two inputs. */
    static final class Two extends CoProcessFunction<byte[], byte[], byte[]> {
        private static final long serialVersionUID = 1;

        private final Maker<Step> maker;
        private transient Step step;

        Two(Maker<Step> maker) {
            this.maker = maker;
        }

        @Override
        public void open(OpenContext context) {
            step = maker.get();
        }

        @Override
        public void processElement1(byte[] record, Context context, Collector<byte[]> out) {
            step.accept(0, record, out::collect);
        }

        @Override
        public void processElement2(byte[] record, Context context, Collector<byte[]> out) {
            step.accept(1, record, out::collect);
        }
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
