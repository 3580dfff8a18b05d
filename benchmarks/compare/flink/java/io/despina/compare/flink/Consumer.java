package io.despina.compare.flink;

import java.io.Serializable;
import java.util.function.Supplier;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** A sink that gives each record to a consumer made where it runs. */
record Consumer<T>(Maker<T> maker) implements Sink<T> {
    private static final long serialVersionUID = 1;

    /** Makes what takes the records. */
    interface Maker<T> extends Supplier<Taker<T>>, Serializable {
    }

    /** Takes records; told when there are no more. */
    interface Taker<T> {
        void take(T record);

        default void end() {
        }
    }

    @Override
    public SinkWriter<T> createWriter(WriterInitContext context) {
        Taker<T> taker = maker.get();
        return new SinkWriter<>() {
            @Override
            public void write(T element, Context ignored) {
                taker.take(element);
            }

            @Override
            public void flush(boolean endOfInput) {
                if (endOfInput) {
                    taker.end();
                }
            }

            @Override
            public void close() {
            }
        };
    }
}
