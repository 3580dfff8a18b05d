/**
 * Reads and writes topics of MQTT brokers. Packets are made and read by Netty's codec, which knows 3.1.1 and 5. What is around it
 * is here: no client library says that a message was given before and under which number, or lets its bytes wait in the socket,
 * and a source that loses nothing and takes nothing twice needs both.
 */
package io.despina.mqtt;
