package io.despina.zeromq;

import com.neilalexander.jnacl.crypto.curve25519;
import java.util.regex.Pattern;
import org.zeromq.ZMQ;

/** Keys of CURVE as ZeroMQ writes them: 32 bytes as 40 characters of Z85. */
final class Keys {
    private static final Pattern KEY = Pattern.compile("[0-9a-zA-Z.\\-:+=^!/*?&<>()\\[\\]{}@%$#]{40}");

    private Keys() {
    }

    static boolean isKey(String text) {
        return KEY.matcher(text).matches();
    }

    static byte[] bytes(String key) {
        return ZMQ.Curve.z85Decode(key);
    }

    /** The public key of a secret one. */
    static byte[] publicOf(String secret) {
        byte[] made = new byte[ZMQ.Curve.KEY_SIZE];
        curve25519.crypto_scalarmult_base(made, bytes(secret));
        return made;
    }
}
