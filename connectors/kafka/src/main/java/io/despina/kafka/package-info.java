/** The connector of {@code kafka_source} and {@code kafka_sink}: code around Apache Kafka's client. */
package io.despina.kafka;
