package io.despina.wire.handshake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A secret, and the proofs of knowing it (HMAC-SHA256 over both sides' nonces). */
public final class Secret {
    static final int NONCE_BYTES = 32;
    static final int PROOF_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The side that proves. It is part of the proof, so a proof cannot be sent back to its maker. */
    enum Side { CONNECTING, ACCEPTING }

    private final SecretKeySpec key;

    public Secret(byte[] secret) {
        key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** 256 random bits, in hexadecimal digits. */
    public static String random() {
        return HexFormat.of().formatHex(nonce());
    }

    /** The secret of a name: the same each time, and who knows it learns neither the one it is made of nor another name's. */
    public static String of(String name, String from) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(from.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return HexFormat.of().formatHex(mac.doFinal(name.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " belongs to every Java", e);
        }
    }

    /** Loads the classes that proofs need, which takes a while on a busy machine. */
    public void load() {
        proof(Side.ACCEPTING, nonce(), nonce());
    }

    static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** @param hello the whole hello of the connecting side, with its nonce */
    byte[] proof(Side side, byte[] hello, byte[] answerNonce) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((byte) side.ordinal());
            mac.update(hello);
            return mac.doFinal(answerNonce);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " belongs to every Java", e);
        }
    }

    boolean proves(byte[] proof, Side side, byte[] hello, byte[] answerNonce) {
        return MessageDigest.isEqual(proof, proof(side, hello, answerNonce));
    }
}
