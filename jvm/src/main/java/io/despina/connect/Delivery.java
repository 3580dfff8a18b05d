package io.despina.connect;

/**
 * A record that its server forgets once it is acknowledged.
 *
 * @param bytes       of the record and of all that comes beside it, as {@link AcknowledgingReader#content} reads them
 * @param key         under which the server gives it again until it has been acknowledged, or of which the reader is told the
 *                    last digest when it goes on: no spaces; null for neither
 * @param digest      two records with equal keys and equal digests are the same; null without a key
 * @param isAgain     whether the server says that it may have given it before
 * @param acknowledge runs once, from any thread: the server may forget the record
 */
public record Delivery(byte[] bytes, String key, String digest, boolean isAgain, Runnable acknowledge) {
}
