/** What coordinator and resources say to each other, and how it is written: messages, refusals, JSON. */
package io.despina.control.protocol;
