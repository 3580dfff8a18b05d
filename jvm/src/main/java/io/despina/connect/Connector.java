package io.despina.connect;

/** What a connector's jar offers. It is made once for a process, and makes readers and writers for any number of jobs. */
public interface Connector {

    /**
     * A reader of one instance of a source. Connects to nothing yet.
     *
     * @param settings the fields of the operator
     */
    default PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        throw new UnsupportedOperationException("this connector reads nothing");
    }

    /** The same, where the server forgets a record once it is acknowledged. */
    default AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        throw new UnsupportedOperationException("this connector reads nothing");
    }

    /** A writer of one instance of a sink. Connects to nothing yet. */
    default RecordWriter writer(ConnectorSettings settings, WriterHost host) {
        throw new UnsupportedOperationException("this connector writes nothing");
    }
}
