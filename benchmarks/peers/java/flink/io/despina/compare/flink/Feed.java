package io.despina.compare.flink;

import java.io.Serializable;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.core.io.InputStatus;

/** What a {@link FeedSource} emits; opened where it runs. */
interface Feed<T> extends Serializable {
    void open();

    /** Emits some records, of what is there; may wait up to a millisecond for the next to be due. Nothing available: for ever. */
    InputStatus poll(ReaderOutput<T> output);
}
