/** What callers of a mapper are told of a statement that was not sent. */
package com.jd.sword.mybatis.plugin.protector.exception;
