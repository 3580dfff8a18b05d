package io.despina.control.protocol;

import java.util.Locale;

/** The value of the field {@code type} of a message: the name of its class, {@code set_schedule}. */
final class MessageName {
    static final ClassValue<String> OF = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> message) {
            return message.getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
        }
    };

    private MessageName() {
    }
}
