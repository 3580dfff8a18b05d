package io.despina.compare.flink;

import io.despina.compare.Maker;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/** A sink that gives each record to a taker made where it runs. */
record Consumer<T>(Maker<Taker<T>> maker) implements Sink<T> {
    private static final long serialVersionUID = 1;

    /** Takes records. */
    interface Taker<T> {
        void take(T record);
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
            }

            @Override
            public void close() {
            }
        };
    }
}
