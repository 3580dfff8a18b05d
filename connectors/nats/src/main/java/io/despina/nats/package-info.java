/** NATS: streams of JetStream and plain subjects, by NATS's own client. */
package io.despina.nats;
