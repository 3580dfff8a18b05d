/**
 * What a connector's jar is compiled against: bytes and Java's own types, and no other package of the engine.
 * Of Hadoop there is what makes files in its stores ({@link io.despina.connect.StoreFiles}). A connector brings the records of a
 * server, or takes records to it; the engine turns records into packets, keeps places and counts bad ones.
 *
 * <p>A jar names its {@link io.despina.connect.Connector} in {@code META-INF/services}, and has its library inside. It is loaded
 * when a graph names one of its operators, by a class loader that sees this package, Java, SLF4J and the compressors that Spark
 * has anyway. An operator's fields and checks are in the engine's catalogue, so a graph is checked without the jar.
 *
 * <p>There are two kinds of sources.
 * <ul>
 * <li>The server numbers its records, and gives them again from any place (Kafka, Redis streams, JetStream): the connector has a
 * {@link io.despina.connect.PositionReader}. Places are in the job's snapshots, and nothing is acknowledged to the server that a
 * job depends on.
 * <li>The server forgets a record once it is acknowledged (MQTT, AMQP queues): the connector has an
 * {@link io.despina.connect.AcknowledgingReader}. The engine writes what comes into a log first, and acknowledges what is durable
 * there.
 * </ul>
 */
package io.despina.connect;
