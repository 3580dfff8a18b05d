package io.despina.nats;

import io.despina.connect.RefusedException;
import io.nats.client.AuthHandler;
import io.nats.client.support.Encoding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Logs in by a key of Ed25519, alone (an NKey) or with a JWT (a credentials file). Java has the algorithm; the client's own way
 * needs a library of several megabytes for it.
 */
final class KeyLogin implements AuthHandler {
    private static final Pattern JWT = Pattern.compile("-+BEGIN NATS USER JWT-+\\s+(\\S+)");
    private static final Pattern SEED = Pattern.compile("-+BEGIN USER NKEY SEED-+\\s+(\\S+)");
    private static final Pattern ALONE = Pattern.compile("\\A\\s*(SU[A-Z2-7]+)\\s*\\z");
    private static final String ED25519 = "Ed25519";
    private static final int BYTES = 32;
    /** Two bytes say that it is a seed, and of whose key; two have a checksum. */
    private static final int SEED_BYTES = 2 + BYTES + 2;
    private static final int PUBLIC_BYTES = 1 + BYTES + 2;
    /** A U in base 32. */
    private static final byte USER = (byte) (20 << 3);
    private static final int POLYNOMIAL = 0x1021;

    private final KeyPair pair;
    private final String jwt;

    private KeyLogin(KeyPair pair, String jwt) {
        this.pair = pair;
        this.jwt = jwt;
    }

    /** @throws IOException if the text has no key; it does not say what it has */
    static KeyLogin of(String text) throws IOException {
        Matcher alone = ALONE.matcher(text);
        Matcher seed = alone.find() ? alone : SEED.matcher(text);
        Matcher token = JWT.matcher(text);
        if (seed != alone && !(seed.find() && token.find())) {
            throw wrong("it has neither the seed of a user's key (SU…) alone, nor a JWT and a seed between their lines of dashes",
                    null);
        }
        return new KeyLogin(pair(seed.group(1)), seed == alone ? null : token.group(1));
    }

    private static RefusedException wrong(String why, Exception cause) {
        return new RefusedException("`credentials_file` (or `credentials_env`) cannot be used: " + why, cause);
    }

    private static KeyPair pair(String seed) throws IOException {
        byte[] bytes;
        try {
            bytes = Encoding.base32Decode(seed.toCharArray());
        } catch (IllegalArgumentException e) {
            throw wrong("the seed is not in base 32", e);
        }
        if (bytes.length != SEED_BYTES || sum(bytes, SEED_BYTES - 2) != little(bytes).getShort(SEED_BYTES - 2)) {
            throw wrong("the seed is not whole", null);
        }
        byte[] secret = Arrays.copyOfRange(bytes, 2, 2 + BYTES);
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(ED25519);
            generator.initialize(BYTES * Byte.SIZE - 1, new Given(secret));     // Java makes a public key only beside a new one
            KeyPair made = generator.generateKeyPair();
            byte[] own = ((EdECPrivateKey) made.getPrivate()).getBytes().orElseThrow();
            if (!Arrays.equals(own, secret)) {
                throw wrong("this Java makes no key of a seed", null);
            }
            return made;
        } catch (GeneralSecurityException e) {
            throw wrong(e.getMessage(), e);
        }
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** CRC-16 of XMODEM. */
    private static short sum(byte[] bytes, int length) {
        int sum = 0;
        for (int k = 0; k < length; k++) {
            sum ^= (bytes[k] & 0xFF) << Byte.SIZE;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                sum = (sum & 0x8000) == 0 ? sum << 1 : sum << 1 ^ POLYNOMIAL;
            }
        }
        return (short) sum;
    }

    @Override
    public byte[] sign(byte[] nonce) {
        try {
            Signature signature = Signature.getInstance(ED25519);
            signature.initSign(pair.getPrivate());
            signature.update(nonce);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a login cannot be signed", e);
        }
    }

    /** The public key. */
    @Override
    public char[] getID() {
        byte[] encoded = pair.getPublic().getEncoded();         // the key is its end
        byte[] id = new byte[PUBLIC_BYTES];
        id[0] = USER;
        System.arraycopy(encoded, encoded.length - BYTES, id, 1, BYTES);
        little(id).putShort(PUBLIC_BYTES - 2, sum(id, PUBLIC_BYTES - 2));
        return Encoding.base32Encode(id);
    }

    @Override
    public char[] getJWT() {
        return jwt == null ? null : jwt.toCharArray();
    }

    /** Gives the bytes that it has been given. */
    private static final class Given extends SecureRandom {
        private static final long serialVersionUID = 1L;

        private final byte[] bytes;

        Given(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void nextBytes(byte[] to) {
            System.arraycopy(bytes, 0, to, 0, to.length);
        }
    }
}
